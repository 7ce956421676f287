import { ActionIcon, SegmentedControl } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useServiceStatus } from '../../api/queries.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { ShownOnce } from '../../components/ShownOnce.tsx'
import classes from './keys.module.css'
import type { NewApiKey } from './keys.ts'

const SAMPLES = {
  curl: (origin: string) => `curl ${origin}/api/v1/whoami \\\n  -H "Authorization: Bearer $DRIPLINE_API_KEY"`,
  TypeScript: (origin: string) =>
    `import { createDriplineClient } from '@dripline/client'\n\nconst dripline = createDriplineClient({\n  baseUrl: '${origin}/api/v1',\n  apiKey: process.env.DRIPLINE_API_KEY,\n})\nconst { workspace } = await dripline.workspace.whoami()`,
} as const

/** Shows a new key. It can be seen only once. */
export function CreatedKey({ apiKey, onDone }: { apiKey: NewApiKey; onDone: () => void }) {
  const { workspace } = useWorkspace()
  const { data: service } = useServiceStatus()
  const isDelivered = workspace.mode === 'live' && service?.mail.mode !== 'capture'
  const [sample, setSample] = useState<keyof typeof SAMPLES>('curl')
  const { key, name, scopes, allow } = apiKey
  const begin = key.slice(0, key.lastIndexOf('_') + 1)
  return (
    <section className="card" aria-label={`API key ${name}`}>
      <div className={classes.made}>
        <span className={`${classes.mark} c-ok`} aria-hidden>
          <IconCheck size={14} stroke={2} />
        </span>
        <div>
          <h2>API key “{name}” created</h2>
          <p className="t2">Copy the key now. It won’t be shown again, because only a hash is stored.</p>
        </div>
        <ActionIcon className="push" aria-label="Close" onClick={onDone}>
          <IconX />
        </ActionIcon>
      </div>
      <ShownOnce name="API key" text={key} className={classes.key}>
        <span className="t3">{begin}</span>
        <span className="strong">{key.slice(begin.length)}</span>
      </ShownOnce>
      <dl className={classes.facts}>
        <div>
          <dt>Scopes</dt>
          <dd>
            {scopes.map((scope) => (
              <span key={scope} className={classes.tag}>
                {scope}
              </span>
            ))}
          </dd>
        </div>
        <div>
          <dt>Allowed IPs</dt>
          <dd className="mono">{allow.length === 0 ? 'Any' : allow.join(', ')}</dd>
        </div>
        <div>
          <dt>Email delivery</dt>
          <dd>{isDelivered ? 'Live: emails are delivered' : 'Test: emails are captured'}</dd>
        </div>
      </dl>
      <div className={classes.try}>
        <div className="row">
          <h3>Example request</h3>
          <SegmentedControl
            className="push"
            aria-label="Language"
            value={sample}
            onChange={setSample}
            data={Object.keys(SAMPLES) as (keyof typeof SAMPLES)[]}
          />
        </div>
        <pre className={`mono ${classes.sample}`} tabIndex={0}>
          {SAMPLES[sample](location.origin)}
        </pre>
      </div>
    </section>
  )
}
