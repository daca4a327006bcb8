"""The optimizers by name: they stand in for the ``torch.optim`` classes of the same names.

The arguments of each are the fields of its rule in :mod:`typedtorch.optim.pure`, where the formulas are, in
torch's order; hyperparameters that torch takes by position may be given so (Lion, which torch lacks, has
keywords).  ``foreach`` and ``fused`` are accepted where torch has them, and kept in the groups for torch's
own classes: a step here takes the fastest kernel that fits in any case.  torch's ``capturable`` and
``differentiable`` are no arguments.
"""

from typing import Any, ClassVar, Literal

from torch import Tensor

from typedtorch.optim import pure
from typedtorch.optim.facade import Facade, Params


class SGD(Facade):
    """Gradient descent, with momentum if wanted: :class:`typedtorch.optim.pure.SGD` has the formula.

    Raises:
        ValueError: a hyperparameter out of range, or nesterov without momentum or with dampening.

    >>> import torch
    >>> optimizer = SGD([torch.nn.Parameter(torch.ones(2))], lr=0.1, momentum=0.9)
    >>> optimizer.param_groups[0]["momentum"]
    0.9
    """

    rule = pure.SGD
    extras: ClassVar[dict[str, object]] = {"foreach": None, "differentiable": False, "fused": None}

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
                "foreach": foreach,
                "fused": fused,
            },
        )


class Adagrad(Facade):
    """Steps divided by the root of all squared gradients so far: see :class:`typedtorch.optim.pure.Adagrad`.

    Raises:
        ValueError: a hyperparameter out of range.

    >>> import torch
    >>> Adagrad([torch.nn.Parameter(torch.ones(2))]).param_groups[0]["lr"]
    0.01
    """

    rule = pure.Adagrad
    extras: ClassVar[dict[str, object]] = {"foreach": None, "differentiable": False, "fused": None}

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "eps": eps,
                "maximize": maximize,
                "foreach": foreach,
                "fused": fused,
            },
        )


class RMSprop(Facade):
    """Steps divided by a running root mean square: see :class:`typedtorch.optim.pure.RMSprop`.

    Raises:
        ValueError: a hyperparameter out of range.

    >>> import torch
    >>> RMSprop([torch.nn.Parameter(torch.ones(2))], centered=True).param_groups[0]["centered"]
    True
    """

    rule = pure.RMSprop
    extras: ClassVar[dict[str, object]] = {"foreach": None, "capturable": False, "differentiable": False}

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "alpha": alpha,
                "eps": eps,
                "weight_decay": weight_decay,
                "momentum": momentum,
                "centered": centered,
                "maximize": maximize,
                "foreach": foreach,
            },
        )


class Adam(Facade):
    """Adaptive moments, the decay added to the gradient or decoupled: :class:`typedtorch.optim.pure.Adam`.

    Raises:
        ValueError: a hyperparameter out of range.

    >>> import torch
    >>> Adam([torch.nn.Parameter(torch.ones(2))], amsgrad=True).param_groups[0]["amsgrad"]
    True
    """

    rule: ClassVar[type[pure.Rule]] = pure.Adam
    extras: ClassVar[dict[str, object]] = {
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "fused": None,
    }

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
                "foreach": foreach,
                "fused": fused,
                "decoupled_weight_decay": decoupled_weight_decay,
            },
        )


class AdamW(Adam):
    """Adam with decoupled weight decay: see :class:`typedtorch.optim.pure.AdamW`.

    Raises:
        ValueError: a hyperparameter out of range.

    >>> import torch
    >>> model = torch.nn.Linear(3, 2)
    >>> optimizer = AdamW(model.parameters(), lr=3e-4, weight_decay=0.1)
    >>> model(torch.ones(1, 3)).sum().backward()
    >>> optimizer.step()
    >>> sorted(optimizer.state_dict()["state"][0])
    ['exp_avg', 'exp_avg_sq', 'step']
    """

    rule: ClassVar[type[pure.Rule]] = pure.AdamW

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas=betas,
            eps=eps,
            weight_decay=weight_decay,
            amsgrad=amsgrad,
            maximize=maximize,
            foreach=foreach,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:  # the state of an Adam says otherwise
            group["decoupled_weight_decay"] = True


class Adafactor(Facade):
    """Adam's second moment from row and column means only: see :class:`typedtorch.optim.pure.Adafactor`.

    Raises:
        ValueError: a hyperparameter out of range, or a complex parameter.

    >>> import torch
    >>> Adafactor([torch.nn.Parameter(torch.ones(2))]).param_groups[0]["beta2_decay"]
    -0.8
    """

    rule = pure.Adafactor
    extras: ClassVar[dict[str, object]] = {"foreach": None}

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        *,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        maximize: bool = False,
        foreach: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "beta2_decay": beta2_decay,
                "eps": eps,
                "d": d,
                "weight_decay": weight_decay,
                "maximize": maximize,
                "foreach": foreach,
            },
        )


class Muon(Facade):
    """Orthogonalised momentum, for the matrices inside a network: see :class:`typedtorch.optim.pure.Muon`.

    Raises:
        ValueError: a hyperparameter out of range, or a parameter that is not a real matrix.

    >>> import torch
    >>> Muon([torch.nn.Parameter(torch.ones(2, 3))], lr=0.02).param_groups[0]["momentum"]
    0.95
    """

    rule = pure.Muon
    extras: ClassVar[dict[str, object]] = {}

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: Literal["original", "match_rms_adamw"] | None = None,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "weight_decay": weight_decay,
                "momentum": momentum,
                "nesterov": nesterov,
                "ns_coefficients": ns_coefficients,
                "eps": eps,
                "ns_steps": ns_steps,
                "adjust_lr_fn": adjust_lr_fn,
                "maximize": maximize,
            },
        )


class Lion(Facade):
    """Steps of one size, by the sign of a momentum: see :class:`typedtorch.optim.pure.Lion`.

    Raises:
        ValueError: a hyperparameter out of range.

    >>> import torch
    >>> Lion([torch.nn.Parameter(torch.ones(2))]).param_groups[0]["betas"]
    (0.9, 0.99)
    """

    rule = pure.Lion
    extras: ClassVar[dict[str, object]] = {}

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-4,
        *,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0.0,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {"lr": lr, "betas": betas, "weight_decay": weight_decay, "maximize": maximize},
        )
