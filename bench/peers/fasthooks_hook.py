from fasthooks import HookApp, allow, deny

app = HookApp()


@app.pre_tool("Bash")
def no_force_push(event):
    if "push --force" in event.command:
        return deny("Force-push is not allowed in this repository.")
    return allow()


app.run()
