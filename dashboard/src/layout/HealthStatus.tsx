import { useQuery } from '@tanstack/react-query'
import { useIsPhone } from '../lib/use-is-phone.ts'
import classes from './Rail.module.css'

interface Readiness {
  missing: string[]
}

/** Who does not say within so long that all is well is not well, in milliseconds. */
const TIMEOUT_MS = 5_000

function useUnreachableServices(): string[] {
  const { data, isError } = useQuery({
    queryKey: ['readiness'],
    async queryFn({ signal }): Promise<Readiness> {
      const answer = await fetch('/readyz', { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) })
      const body = (await answer.json().catch(() => ({}))) as { missing?: string[] }
      return { missing: answer.ok ? [] : (body.missing ?? ['The service']) }
    },
    retry: false,
    refetchInterval: 15_000,
  })
  return isError ? ['The service'] : (data?.missing ?? [])
}

const describeOutage = (missing: readonly string[]) => `${missing.join(' and ')} not reachable`

/** Whether Postgres and Temporal answer the service, and the service this page. */
export function HealthStatus() {
  const missing = useUnreachableServices()
  const isWell = missing.length === 0
  return (
    <div className={`${classes.line} ${isWell ? 'c-ok' : 'c-bad'}`} role="status">
      <span className={classes.dot} aria-hidden />
      <span>{isWell ? 'Everything reachable' : describeOutage(missing)}</span>
    </div>
  )
}

/** The same on a phone, which has room for it where something is wrong. */
export function PhoneHealthAlert() {
  const missing = useUnreachableServices()
  if (!useIsPhone() || missing.length === 0) return null
  return (
    <div className={`${classes.ill} c-bad`} role="status">
      {describeOutage(missing)}
    </div>
  )
}
