import { useQuery } from '@tanstack/react-query'
import { useIsPhone } from '../lib/use-is-phone.ts'
import classes from './Rail.module.css'

interface Readiness {
  missing: string[]
}

/** Milliseconds without a response after which the server counts as unreachable. */
const TIMEOUT_MS = 5_000

function useUnreachableServices(): string[] {
  const { data, isError } = useQuery({
    queryKey: ['readiness'],
    async queryFn({ signal }): Promise<Readiness> {
      const answer = await fetch('/readyz', { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) })
      const body = (await answer.json().catch(() => ({}))) as { missing?: string[] }
      return { missing: answer.ok ? [] : (body.missing ?? ['the server']) }
    },
    retry: false,
    refetchInterval: 15_000,
  })
  return isError ? ['the server'] : (data?.missing ?? [])
}

const describeOutage = (missing: readonly string[]) => `Can’t reach ${missing.join(' and ')}`

/** Shows whether the server, Postgres and Temporal are reachable. */
export function HealthStatus() {
  const missing = useUnreachableServices()
  const isWell = missing.length === 0
  return (
    <div className={`${classes.line} ${isWell ? 'c-ok' : 'c-bad'}`} role="status">
      <span className={classes.dot} aria-hidden />
      <span>{isWell ? 'All systems operational' : describeOutage(missing)}</span>
    </div>
  )
}

/** Shows an outage on a phone, where there is no room for the status otherwise. */
export function PhoneHealthAlert() {
  const missing = useUnreachableServices()
  if (!useIsPhone() || missing.length === 0) return null
  return (
    <div className={`${classes.outage} c-bad`} role="status">
      {describeOutage(missing)}
    </div>
  )
}
