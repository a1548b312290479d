print("tokenvault")
