"""`python -m scalr_agents`: the command line."""

from scalr_agents.cli import main

if __name__ == "__main__":
    main(prog_name="scalr-agents")
