"""Reference models: small, each with its true motion, to compare methods with each other and with the truth."""

from gelenk.bench.reference.case import CASES, Case, errors_of, methods_for

__all__ = ["CASES", "Case", "errors_of", "methods_for"]
