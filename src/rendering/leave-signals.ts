// Ctrl-C is for all processes of a terminal: whoever it renders for finishes what is in progress, and ends this one. In a file of
// its own, because it has to be the first that a process of the renderer does.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
