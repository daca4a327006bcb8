"""Wrong annotations of Python's own kinds prove nothing: nobody checks them when the program runs."""

from __future__ import annotations

from test_infer import messages


def test_a_number_annotated_as_a_dict_may_be_any_number() -> None:
    assert not messages(
        """
        class Head(nn.Module):
            def __init__(self, classes: dict, width: int) -> None:
                super().__init__()
                self.classes = classes
                self.out = nn.Linear(width, classes)

            def forward(self, x: Float[Tensor, "b d"]) -> Tensor:
                scores = self.out(x)
                assert scores.shape[1] == self.classes
                return scores
        """
    )


def test_what_is_a_number_here_and_a_list_there_is_neither() -> None:
    body = """
        def near(box: list[int], edges: Tensor) -> Tensor:
            return edges[None, :] - torch.zeros(4)

        def each(boxes: {boxes}) -> Tensor:
            for box in boxes:
                near(box, torch.as_tensor(box))
    """
    assert not messages(body.format(boxes="list[int]"))
    assert not messages(body.format(boxes="list[list[int]]"))


def test_numbers_that_are_annotated_as_numbers_have_no_axes() -> None:
    assert messages(
        """
        def near(box: int, edges: Tensor) -> Tensor:
            return edges[None, :] - torch.zeros(4)

        def each(boxes: list[int]) -> Tensor:
            for box in boxes:
                near(box, torch.as_tensor(box))
        """
    )


def test_a_pair_given_for_four_numbers_is_four_or_none() -> None:
    body = """
        def extent(bounds: tuple[float, float, float, float]) -> Tensor:
            corners = torch.tensor(bounds)
            return corners[2:] - corners[:2]

        def read(bounds: {given}) -> Tensor:
            return extent(bounds)
    """
    assert not messages(body.format(given="tuple[int, int]"))
    assert not messages(body.format(given="tuple[int, int, int, int]"))
    assert messages(body.format(given="Tensor").replace("extent(bounds)", "extent((1.0, 2.0))"))
