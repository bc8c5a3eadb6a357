"""How faithful the SIMT model is: small kernels on a GPU and on the model, compared."""
