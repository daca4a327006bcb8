from typing import Any

class Module:
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
