"""Laws from state to wrench, one file each."""
