"""Any mechanism: a privacy claim judged by its outputs on neighbouring data, without knowing its law."""
