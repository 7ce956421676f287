// Sets the chosen color scheme before the first paint, so that the other one does not flash. A file, because the CSP blocks inline scripts.
try {
  const chosen = localStorage.getItem('mantine-color-scheme-value')
  if (chosen === 'light' || chosen === 'dark') {
    document.documentElement.setAttribute('data-mantine-color-scheme', chosen)
    document.documentElement.style.colorScheme = chosen
  }
} catch {
  // Without storage, the system's color scheme applies.
}
