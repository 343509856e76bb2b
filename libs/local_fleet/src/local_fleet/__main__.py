from local_fleet.cli import main

main()
