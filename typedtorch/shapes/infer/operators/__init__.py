"""Operators of torch, numpy and einops, through their rules; read ``operators`` first."""
