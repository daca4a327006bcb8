"""Operators that multiply no matrices: what they do to each element, or that they only move data.

The unit is one arithmetic step on one element: an addition, a product, an exponential, a comparison.
Pointwise operators take one step per element of the result unless a row below says otherwise,
reductions one per element of the operand, normalisations and losses as many as their formula has.
"""

from __future__ import annotations

import torch

from typedtorch.accounting.count import Count, argument
from typedtorch.accounting.trace import Op, TensorMeta, metas
from typedtorch.shapes.size import Size

# steps per element of the (first) result
STEPS_PER_RESULT = {
    "addcmul": 3, "addcdiv": 3, "lerp": 3, "hypot": 4, "xlogy": 2, "logaddexp": 4, "logit": 3,
    "gelu": 8, "gelu_backward": 12, "silu": 4, "silu_backward": 6, "sigmoid": 3, "sigmoid_backward": 3,
    "tanh_backward": 3, "mish": 6, "mish_backward": 10, "softplus": 3, "softplus_backward": 4, "elu": 3,
    "elu_backward": 3, "hardswish": 4, "hardswish_backward": 4, "hardsigmoid": 3, "hardsigmoid_backward": 2,
    "hardtanh": 2, "hardtanh_backward": 2, "leaky_relu": 2, "leaky_relu_backward": 2, "glu": 4,
    "glu_backward": 8, "log_sigmoid_forward": 4, "log_sigmoid_backward": 5, "threshold_backward": 1,
    "_prelu_kernel": 2, "_prelu_kernel_backward": 4, "polar": 4, "nan_to_num": 3, "clamp": 2,
    "native_dropout": 2, "native_dropout_backward": 2, "_fused_dropout": 2, "_masked_scale": 2,
    "_softmax": 5, "_safe_softmax": 5, "_masked_softmax": 5, "_softmax_backward_data": 4,
    "_masked_softmax_backward": 4, "_log_softmax": 5, "_log_softmax_backward_data": 4,
    "native_layer_norm": 8, "native_layer_norm_backward": 14, "native_group_norm": 8,
    "native_group_norm_backward": 14, "native_batch_norm": 8, "native_batch_norm_backward": 14,
    "_native_batch_norm_legit": 8, "_native_batch_norm_legit_no_training": 4, "_batch_norm_with_update": 8,
    "_batch_norm_no_update": 4, "cudnn_batch_norm": 8, "cudnn_batch_norm_backward": 14,
    "miopen_batch_norm": 8, "miopen_batch_norm_backward": 14, "batch_norm_backward": 14,
    "_fused_rms_norm": 5, "_fused_rms_norm_backward": 9, "renorm": 4, "_weight_norm_interface": 4,
    "_weight_norm_interface_backward": 8,
    "mse_loss": 3, "mse_loss_backward": 3, "smooth_l1_loss": 5, "smooth_l1_loss_backward": 5,
    "huber_loss": 5, "huber_loss_backward": 5, "soft_margin_loss": 4, "soft_margin_loss_backward": 5,
    "binary_cross_entropy": 6, "binary_cross_entropy_backward": 5, "binary_cross_entropy_with_logits": 7,
    "nll_loss_forward": 1, "nll_loss_backward": 1, "nll_loss2d_forward": 1, "nll_loss2d_backward": 1,
    "_thnn_fused_lstm_cell": 24, "_thnn_fused_lstm_cell_backward_impl": 40,
    "_thnn_fused_gru_cell": 20, "_thnn_fused_gru_cell_backward": 32,
    "upsample_linear1d": 3, "upsample_bilinear2d": 7, "upsample_trilinear3d": 15, "upsample_bicubic2d": 31,
    "_upsample_bilinear2d_aa": 7, "_upsample_bicubic2d_aa": 31, "upsample_linear1d_backward": 3,
    "upsample_bilinear2d_backward": 7, "upsample_trilinear3d_backward": 15, "upsample_bicubic2d_backward": 31,
    "_upsample_bilinear2d_aa_backward": 7, "_upsample_bicubic2d_aa_backward": 31,
    "grid_sampler_2d": 12, "grid_sampler_2d_backward": 24, "grid_sampler_3d": 28,
    "grid_sampler_3d_backward": 56,
    "_transform_bias_rescale_qkv": 2, "index_add": 1, "scatter_add": 1, "index_reduce": 1,
    "scatter_reduce": 1, "_coalesce": 1,
    "_amp_foreach_non_finite_check_and_unscale": 2, "_foreach_norm": 2, "normal": 0, "normal_functional": 0,
}  # fmt: skip

# steps per element of the first operand
STEPS_PER_OPERAND = {
    "sum": 1, "nansum": 2, "mean": 1, "prod": 1, "amax": 1, "amin": 1, "aminmax": 2, "_aminmax": 2, "max": 1,
    "min": 1, "argmax": 1, "argmin": 1, "all": 1, "any": 1, "norm": 2, "linalg_vector_norm": 2,
    "linalg__powsum": 2, "logsumexp": 3, "var": 4, "var_mean": 4, "std": 4, "std_mean": 4, "native_norm": 2,
    "count_nonzero": 1, "cumsum": 1, "cumprod": 1, "logcumsumexp": 3, "_logcumsumexp": 3, "cummax": 1,
    "cummin": 1, "_cummax_helper": 1, "_cummin_helper": 1, "trace": 1, "dist": 3, "renorm": 3,
    "avg_pool2d": 1, "avg_pool3d": 1, "avg_pool2d_backward": 1, "avg_pool3d_backward": 1,
    "_adaptive_avg_pool2d": 1, "_adaptive_avg_pool3d": 1, "_adaptive_avg_pool2d_backward": 1,
    "_adaptive_avg_pool3d_backward": 1, "adaptive_avg_pool3d_backward": 1,
    "adaptive_max_pool2d": 1, "adaptive_max_pool3d": 1, "max_pool2d_with_indices": 1,
    "max_pool3d_with_indices": 1, "adaptive_max_pool2d_backward": 1, "adaptive_max_pool3d_backward": 1,
    "max_pool2d_with_indices_backward": 1, "max_pool3d_with_indices_backward": 1,
    "embedding_dense_backward": 1, "_embedding_bag": 1, "_embedding_bag_backward": 1,
    "_embedding_bag_forward_only": 1,
    "_embedding_bag_dense_backward": 1, "segment_reduce": 1, "_segment_reduce_backward": 1,
    "multi_margin_loss": 4, "multi_margin_loss_backward": 4, "multilabel_margin_loss_forward": 4,
    "multilabel_margin_loss_backward": 4, "histc": 2, "bincount": 1, "median": 1, "nanmedian": 1,
    "affine_grid_generator": 4, "_is_all_true": 1, "_is_any_true": 1, "linear_backward": 1, "index_put": 0,
}  # fmt: skip


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# data goes from one place to another, or is made from nothing
MOVES = _names("""
    alias_copy arange as_strided as_strided_copy as_strided_scatter bernoulli block_diag bucketize cat
    cauchy channel_shuffle clone col2im constant_pad_nd contiguous copy copy_ detach_copy diag_embed
    diagonal_backward diagonal_scatter embedding empty empty_like empty_permuted empty_strided
    expand_copy exponential eye fill flip full full_like gather geometric im2col index index_copy
    index_fill index_put _index_put_impl _unsafe_index _unsafe_index_put _unsafe_masked_index
    _unsafe_masked_index_put_accumulate index_select isin kthvalue lift lift_fresh lift_fresh_copy
    linspace log_normal logspace masked_fill masked_scatter masked_scatter_backward masked_select
    max_unpool2d max_unpool3d mode multinomial narrow_copy new_empty new_empty_strided new_full new_ones
    new_zeros nonzero nonzero_static normal_ ones ones_like pixel_shuffle pixel_unshuffle poisson put
    rand rand_like randint randint_like randn randn_like random randperm range reflection_pad1d
    reflection_pad2d reflection_pad3d reflection_pad1d_backward reflection_pad2d_backward
    reflection_pad3d_backward repeat replication_pad1d replication_pad2d replication_pad3d
    replication_pad1d_backward replication_pad2d_backward replication_pad3d_backward repeat_interleave
    resize resize_ resize_as_ roll rot90 scalar_tensor scatter searchsorted select_backward select_copy
    select_scatter set_ slice_backward slice_copy slice_scatter sort stack _stack _chunk_cat
    split_with_sizes_copy split_copy take tensor_split to_padded_tensor _to_copy topk transpose_copy
    tril tril_indices triu triu_indices unbind_copy unfold_backward uniform unique_consecutive
    unique_dim _unique _unique2 unsafe_split unsafe_split_with_sizes upsample_nearest1d
    upsample_nearest2d upsample_nearest3d upsample_nearest1d_backward upsample_nearest2d_backward
    upsample_nearest3d_backward _upsample_nearest_exact1d _upsample_nearest_exact2d
    _upsample_nearest_exact3d _upsample_nearest_exact1d_backward _upsample_nearest_exact2d_backward
    _upsample_nearest_exact3d_backward view_copy zero zeros zeros_like _new_zeros_with_same_feature_meta
    _pack_padded_sequence _local_scalar_dense equal item is_nonzero allclose complex
    _fill_mem_eff_dropout_mask_ _cudnn_rnn_flatten_weight _cudnn_init_dropout_state bartlett_window
    blackman_window hamming_window hann_window kaiser_window _efficientzerotensor _lazy_clone
    _convert_weight_to_int4pack _convert_weight_to_int4pack_for_cpu _nested_tensor_from_mask
    _foreach_copy _foreach_zero binomial _sample_dirichlet _standard_gamma pin_memory _pin_memory
    record_stream sparse_mask _assert_async _linalg_check_errors
    _functional_assert_async _assert_scalar _assert_tensor_metadata _print
    lu_unpack _jagged_to_padded_dense_forward _padded_dense_to_jagged_forward
""")  # fmt: skip

# the same memory under another shape; nothing is read
VIEWS = _names("""
    alias as_strided _conj conj detach diagonal expand imag indices mT narrow _neg_view permute real
    _reshape_alias reshape select slice split split_with_sizes squeeze swapaxes t transpose unbind
    unfold unsqueeze _unsafe_view values view view_as view_as_complex view_as_real movedim chunk flatten
    lift_fresh unsafe_chunk set_ _fw_primal is_same_size sym_size sym_stride sym_numel
    sym_storage_offset _version is_pinned _sparse_coo_tensor_with_dims_and_tensors _indices _values _nnz
    is_coalesced _coalesced
""")  # fmt: skip

# steps per parameter of the fused optimizers, each the same as its loop of small operators
_ADAM = 14


def base_name(name: str) -> str:
    """``aten._foreach_add_.Tensor`` -> ``add``: without namespace, overload and trailing underscore."""
    middle = name.split(".")[1] if "." in name else name
    if middle not in STEPS_PER_RESULT and middle not in MOVES:
        middle = middle.removeprefix("_foreach_")
    return middle.removesuffix("_") if middle.removesuffix("_") else middle


def _numel(value: object) -> Size:
    total: Size = 0
    for meta in metas(value):
        total = total + meta.numel
    return total


def _alpha(op: Op) -> int:
    """``add(x, y, alpha=a)`` multiplies by ``a`` first, unless it is 1."""
    try:
        return 0 if argument(op, "alpha") in (1, None) else 1
    except KeyError:
        return 0


def _fused_steps(op: Op, base: str) -> int:
    if base == "_fused_sgd":
        momentum = argument(op, "momentum")
        first = bool(argument(op, "is_first_step"))
        steps = 2 + (2 if argument(op, "weight_decay") else 0) + bool(argument(op, "maximize"))
        if momentum:
            steps += (0 if first else 1 + 2) + (2 if argument(op, "nesterov") else 0)
        return steps
    if base == "_fused_adagrad":
        return 3 + 3 + 2 + (2 if argument(op, "weight_decay") else 0)
    decoupled = 1 if base == "_fused_adamw" else 2 * bool(argument(op, "weight_decay"))
    if base == "_fused_adamw":
        decoupled = 1 if argument(op, "weight_decay") else 0
    return _ADAM - 1 + decoupled + bool(argument(op, "amsgrad")) + bool(argument(op, "maximize"))


def elementwise(op: Op) -> Count | None:
    """The count of an operator that multiplies no matrices; None where it is not known here."""
    base = base_name(op.name)
    if op.func is not None and getattr(op.func, "is_view", False):
        return Count()
    if base in VIEWS or base in MOVES:
        return Count()
    results: Size = _numel(op.outs)
    if base.startswith("_fused_ad") or base == "_fused_sgd":
        return Count(elementwise=_numel(op.args[0]) * _fused_steps(op, base))
    if op.name.startswith("aten._foreach_") and not op.outs:
        results = _numel(op.args[0])
    elif op.outs and base in STEPS_PER_RESULT:
        results = _first(op) if not op.name.startswith("aten._foreach_") else results
    rows = next((meta for meta in op.ins if meta.sparse), None)
    if rows is not None:  # of the others the same rows only
        results = rows.numel
    if base in STEPS_PER_RESULT:
        return Count(elementwise=results * STEPS_PER_RESULT[base])
    if base in STEPS_PER_OPERAND:
        operand = next(iter(op.ins), None)
        return Count(elementwise=(operand.numel if operand else 0) * STEPS_PER_OPERAND[base])
    tags = getattr(op.func, "tags", ())
    if torch.Tag.pointwise in tags or op.name.startswith("aten._foreach_"):
        return Count(elementwise=results * (1 + _alpha(op)))
    return None


def _first(op: Op) -> Size:
    first: TensorMeta = op.outs[0]
    largest = op.ins[0].numel if op.ins else first.numel
    # a loss gives one number for many elements: count the elements
    return largest if first.numel == 1 or len(first.shape) == 0 else first.numel
