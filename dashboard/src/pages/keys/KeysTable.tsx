import { ActionIcon, Button, Menu, NumberInput } from '@mantine/core'
import { IconDots, IconGauge, IconRotate, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { now } from '../../lib/clock.ts'
import { count, plural } from '../../lib/format.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Time } from '../../components/Time.tsx'
import classes from './keys.module.css'
import type { ApiKey, NewApiKey } from './keys.ts'

const MAX_SHOWN_SCOPES = 2

interface PendingAction {
  id: string
  what: 'delete' | 'rotate' | 'limit'
}

export function KeysTable({
  keys,
  newId,
  onRotated,
}: {
  keys: readonly ApiKey[]
  newId: string | undefined
  onRotated: (key: NewApiKey) => void
}) {
  const [asked, setPending] = useState<PendingAction>()
  const close = () => setPending(undefined)
  return (
    <table className={`table ${classes.table}`}>
      <thead>
        <tr>
          <th>Name</th>
          <th className="wide">Prefix</th>
          <th className="wide">Scopes</th>
          <th className="wide">Allowed IPs</th>
          <th className="wide">Usage (60 s)</th>
          <th>Last used</th>
          <th>
            <span className={classes.hidden}>Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <Fragment key={key.id}>
            <tr>
              <td className="strong">
                <span className={classes.name}>{key.name}</span>
                {key.id === newId && <span className={`${classes.badge} c-ok`}>New</span>}
                {key.expiresAt !== null && <ExpiryBadge at={key.expiresAt} />}
              </td>
              <td className="mono t2 wide">{key.prefix}…</td>
              <td className="wide">
                {key.scopes.slice(0, MAX_SHOWN_SCOPES).map((scope) => (
                  <span key={scope} className={classes.tag}>
                    {scope}
                  </span>
                ))}
                {key.scopes.length > MAX_SHOWN_SCOPES && (
                  <span className="small t3" title={key.scopes.join(', ')}>
                    and {key.scopes.length - MAX_SHOWN_SCOPES} more
                  </span>
                )}
              </td>
              <td className="wide t2">
                {key.allow.length === 0 ? (
                  'Any'
                ) : key.allow.length === 1 ? (
                  key.allow[0]
                ) : (
                  <span title={key.allow.join(', ')}>{plural(key.allow.length, 'range')}</span>
                )}
              </td>
              <td className="wide">
                <UsageMeter of={key} />
              </td>
              <td className="t2">
                <Time at={key.lastUsedAt} />
              </td>
              <td className="num">
                <Menu>
                  <Menu.Target>
                    <ActionIcon aria-label={`Actions for ${key.name}`}>
                      <IconDots />
                    </ActionIcon>
                  </Menu.Target>
                  <Menu.Dropdown>
                    {key.rotatedAt === null && (
                      <Menu.Item
                        leftSection={<IconRotate aria-hidden />}
                        onClick={() => setPending({ id: key.id, what: 'rotate' })}
                      >
                        Rotate…
                      </Menu.Item>
                    )}
                    <Menu.Item
                      leftSection={<IconGauge aria-hidden />}
                      onClick={() => setPending({ id: key.id, what: 'limit' })}
                    >
                      Change rate limit…
                    </Menu.Item>
                    <Menu.Item
                      leftSection={<IconTrash aria-hidden />}
                      onClick={() => setPending({ id: key.id, what: 'delete' })}
                    >
                      Delete…
                    </Menu.Item>
                  </Menu.Dropdown>
                </Menu>
              </td>
            </tr>
            {asked?.id === key.id && (
              <tr className={classes.askRow}>
                <td colSpan={7}>
                  {asked.what === 'delete' ? (
                    <ConfirmDelete apiKey={key} others={keys.length - 1} onDone={close} />
                  ) : asked.what === 'limit' ? (
                    <ChangeRateLimit apiKey={key} onDone={close} />
                  ) : (
                    <ConfirmRotate
                      apiKey={key}
                      onDone={(made) => {
                        close()
                        if (made) onRotated(made)
                      }}
                    />
                  )}
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  )
}

function ExpiryBadge({ at }: { at: string }) {
  const isOver = new Date(at) <= now()
  return (
    <span className={`${classes.badge} ${isOver ? 'c-bad' : 'c-warn'}`}>
      {isOver ? 'Expired' : 'Expires'} <Time at={at} as="date" />
    </span>
  )
}

/** Shows how much of its rate limit a key used in the last minute. */
function UsageMeter({ of: { requests, rateLimit } }: { of: ApiKey }) {
  if (requests === 0) return <span className="t3">None</span>
  return (
    <span className={classes.use}>
      <span className={classes.meter} aria-hidden>
        <i style={{ width: `${Math.min(100, (100 * requests) / rateLimit)}%` }} />
      </span>
      <span>
        <span className="strong">{count(requests)}</span> <span className="t3">of {count(rateLimit)}</span>
      </span>
    </span>
  )
}

function ConfirmDelete({ apiKey, others, onDone }: { apiKey: ApiKey; others: number; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api-keys/{id}', { params: { path: { id: apiKey.id } } }),
    async onSuccess() {
      await invalidate('api-keys')
      onDone()
    },
  })
  return (
    <div className={`${classes.ask} c-bad`} role="group" aria-label={`Delete API key ${apiKey.name}`}>
      <h3>Delete API key “{apiKey.name}”?</h3>
      <p className="t2">
        {apiKey.lastUsedAt === null ? (
          'This key was never used.'
        ) : (
          <>
            This key made {plural(apiKey.requests, 'request')} in the last minute and was last used{' '}
            <Time at={apiKey.lastUsedAt} />. Its requests will fail with <span className="code">401</span>.
          </>
        )}{' '}
        {others > 0 && `${plural(others, 'other key')} will keep working. `}This can’t be undone.
      </p>
      {remove.isError && <ErrorBanner error={remove.error} scrollsIntoView />}
      <div className="row">
        <Button variant="filled" color="bad" onClick={() => remove.mutate()} loading={remove.isPending}>
          Delete key
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone} data-autofocus>
          Cancel
        </Button>
      </div>
    </div>
  )
}

const MAX_RATE_LIMIT = 1_000_000

function ChangeRateLimit({ apiKey, onDone }: { apiKey: ApiKey; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [rateLimit, setRateLimit] = useState<number | string>(apiKey.rateLimit)
  const change = useMutation({
    mutationFn: () =>
      api.PATCH('/api-keys/{id}', { params: { path: { id: apiKey.id } }, body: { rateLimit: Number(rateLimit) } }),
    async onSuccess() {
      await invalidate('api-keys')
      onDone()
    },
  })
  return (
    <form
      className={`${classes.ask} c-mute`}
      aria-label={`Change the rate limit of ${apiKey.name}`}
      onSubmit={(event) => {
        event.preventDefault()
        if (rateLimit !== '') change.mutate()
      }}
    >
      <NumberInput
        label="Requests per 60 seconds"
        description="Applies from the next request on."
        min={1}
        max={MAX_RATE_LIMIT}
        allowDecimal={false}
        value={rateLimit}
        onChange={setRateLimit}
        error={rateLimit === '' ? 'Enter a number.' : undefined}
        data-autofocus
      />
      {change.isError && <ErrorBanner error={change.error} scrollsIntoView />}
      <div className="row">
        <Button type="submit" variant="filled" loading={change.isPending}>
          Save rate limit
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

const OVERLAP_HOURS = 24

function ConfirmRotate({ apiKey, onDone }: { apiKey: ApiKey; onDone: (made?: NewApiKey) => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const rotate = useMutation({
    mutationFn: async () => {
      const params = { path: { id: apiKey.id } }
      return (await api.POST('/api-keys/{id}/rotate', { params, body: { overlapHours: OVERLAP_HOURS } })).data.data
    },
    async onSuccess(made) {
      onDone(made)
      await invalidate('api-keys')
    },
  })
  return (
    <div className={`${classes.ask} c-mute`} role="group" aria-label={`Rotate API key ${apiKey.name}`}>
      <h3>Rotate API key “{apiKey.name}”?</h3>
      <p className="t2">
        Creates a new key with the same scopes. The old key keeps working for {OVERLAP_HOURS} hours, so that you can
        replace it.
      </p>
      {rotate.isError && <ErrorBanner error={rotate.error} scrollsIntoView />}
      <div className="row">
        <Button variant="filled" onClick={() => rotate.mutate()} loading={rotate.isPending}>
          Rotate key
        </Button>
        <Button variant="subtle" color="gray" onClick={() => onDone()}>
          Cancel
        </Button>
      </div>
    </div>
  )
}
