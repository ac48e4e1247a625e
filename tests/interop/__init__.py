"""Other programs as judges and peers: real agents, validators, repairers, and the cases of their own tests."""
