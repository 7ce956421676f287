import { useQuery } from '@tanstack/react-query'
import classes from './Rail.module.css'

interface Readiness {
  missing: string[]
}

/** Whether Postgres and Temporal answer the service, and the service this page. */
export function Health() {
  const { data, isError } = useQuery({
    queryKey: ['readiness'],
    async queryFn({ signal }): Promise<Readiness> {
      const answer = await fetch('/readyz', { signal })
      const body = (await answer.json().catch(() => ({}))) as { missing?: string[] }
      return { missing: answer.ok ? [] : (body.missing ?? ['The service']) }
    },
    retry: false,
    refetchInterval: 15_000,
  })
  const missing = isError ? ['The service'] : (data?.missing ?? [])
  const isWell = missing.length === 0
  return (
    <div className={`${classes.line} ${isWell ? 'c-ok' : 'c-bad'}`} role="status">
      <span className={classes.dot} aria-hidden />
      <span>{isWell ? 'Everything reachable' : `${missing.join(' and ')} not reachable`}</span>
    </div>
  )
}
