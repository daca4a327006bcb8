"""The static checker against whole programs; see corpus.py for how a case is written."""
