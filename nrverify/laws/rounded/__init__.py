"""The exact law of releases that are rounded to a grid."""

from nrverify.laws.rounded.filtering import Filtered, filtered

__all__ = ["Filtered", "filtered"]
