import type { Schemas } from '../../api/client.ts'
import { Section } from '../../layout/Page.tsx'

export function ServersSection({ status: { postgres, temporal } }: { status: Schemas['ServiceStatus'] }) {
  const { uiUrl, workers, isReachable, namespace } = temporal
  return (
    <Section title="Servers">
      <dl className="facts">
        <dt>Postgres</dt>
        <dd>
          <Reachable is={postgres.isReachable} />
        </dd>
        <dt>Temporal</dt>
        <dd>
          <Reachable is={isReachable} />
          {uiUrl !== null && (
            <>
              {' · '}
              <a className="link" href={`${uiUrl}/namespaces/${namespace}/workflows`} target="_blank" rel="noreferrer">
                Open Temporal UI
              </a>
            </>
          )}
        </dd>
        <dt>Workers</dt>
        <dd className={workers === 0 ? 'c-bad' : ''} style={workers === 0 ? { color: 'var(--c)' } : undefined}>
          {workers === null
            ? 'Unknown'
            : workers === 0
              ? 'None running: nothing is sent. Start one with npm run worker.'
              : workers}
        </dd>
      </dl>
    </Section>
  )
}

const Reachable = ({ is }: { is: boolean }) => (
  <span className={is ? 'c-ok' : 'c-bad'} style={{ color: 'var(--c)' }}>
    {is ? 'Reachable' : 'Not reachable'}
  </span>
)
