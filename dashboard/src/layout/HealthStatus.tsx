import { useNetwork } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useServiceStatus } from '../api/queries.ts'
import { useWorkspace } from '../api/workspace.tsx'
import { useIsPhone } from '../lib/use-is-phone.ts'
import classes from './Rail.module.css'

interface Readiness {
  problem: string | null
}

const NO_RESPONSE = 'Can’t reach the server'

/** Milliseconds without a response after which the server counts as unreachable. */
const TIMEOUT_MS = 5_000

/** Returns what is unreachable, in one phrase; `null` where all is well. */
function useOutage(): string | null {
  const { online } = useNetwork()
  const { data, isError } = useQuery({
    queryKey: ['readiness'],
    async queryFn({ signal }): Promise<Readiness> {
      const answer = await fetch('/readyz', { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) })
      const body = (await answer.json().catch(() => ({}))) as { error?: string }
      return { problem: answer.ok ? null : (body.error ?? NO_RESPONSE) }
    },
    retry: false,
    refetchInterval: 15_000,
  })
  if (!online) return 'You are offline'
  return isError ? NO_RESPONSE : (data?.problem ?? null)
}

/** Returns why email of a live workspace is not sent. */
function useMailProblem(): string | null {
  const { workspace } = useWorkspace()
  const { data } = useServiceStatus()
  return workspace.mode === 'live' && data?.mail.failure ? 'Mail server is not accepting email' : null
}

/** Shows whether the browser is online, the server, Postgres and Temporal are reachable, and the mail server accepts email. */
export function HealthStatus() {
  const down = useOutage()
  const mail = useMailProblem()
  const outage = down ?? mail
  return (
    <div className={`${classes.line} ${outage === null ? 'c-ok' : 'c-bad'}`} role="status">
      <span className={classes.dot} aria-hidden />
      <span>{outage ?? 'All systems operational'}</span>
    </div>
  )
}

/** Shows an outage on a phone, where there is no room for the status otherwise. */
export function PhoneHealthAlert() {
  const outage = useOutage()
  if (!useIsPhone() || outage === null) return null
  return (
    <div className={`${classes.outage} c-bad`} role="status">
      {outage}
    </div>
  )
}
