"""The arguments of components. All but those of agents are written by `make schema`, from the models that validate them."""
