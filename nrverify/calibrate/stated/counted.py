"""todo."""
PLANTED = ()
