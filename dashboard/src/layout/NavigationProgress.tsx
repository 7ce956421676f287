import { useRouterState } from '@tanstack/react-router'
import classes from './NavigationProgress.module.css'

/** A line at the top while a page loads, unless that takes only a moment. */
export function NavigationProgress() {
  const isLoading = useRouterState({ select: ({ status }) => status === 'pending' })
  return isLoading ? <div className={classes.line} role="progressbar" aria-label="Loading the page" /> : null
}
