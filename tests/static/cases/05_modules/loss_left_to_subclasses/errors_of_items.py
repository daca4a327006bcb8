from objective_of_items import Objective


class SquaredError(Objective):
    def per_item(self, predicted, wanted):
        return (predicted - wanted).square().sum(dim=-1)  #! return (predicted - wanted).square()  # E: shape


class Cosine(Objective):
    def per_item(self, predicted, wanted):
        lengths = predicted.norm(dim=-1) * wanted.norm(dim=-1)
        return 1 - (predicted * wanted).sum(dim=-1) / lengths


# run: SquaredError()(randn(2, 4), randn(2, 4))
