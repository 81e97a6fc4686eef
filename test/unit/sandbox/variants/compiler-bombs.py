for text in ("-" * 90000 + "1", "(" * 5000, "x" + ".a" * 90000, "[" * 190 + "]" * 190, "a" + "+a" * 90000):
    try: compile(text, "x", "eval"); print("compiled")
    except (SyntaxError, MemoryError, RecursionError, ValueError) as e: print(type(e).__name__)
