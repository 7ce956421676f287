// Before anything is drawn: who has chosen light or dark sees no flash of the other. A file, because no inline script runs here.
try {
  const chosen = localStorage.getItem('mantine-color-scheme-value')
  if (chosen === 'light' || chosen === 'dark') {
    document.documentElement.setAttribute('data-mantine-color-scheme', chosen)
    document.documentElement.style.colorScheme = chosen
  }
} catch {
  // Without storage the system's choice is taken.
}
