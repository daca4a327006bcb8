from typing import Annotated as Float
from typing import Annotated as Int

__all__ = ["Float", "Int"]
