import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconDots, IconGauge, IconRotate, IconTerminal2, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { now } from '../../lib/clock.ts'
import { count, plural } from '../../lib/format.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { IntegerInput } from '../../components/IntegerInput.tsx'
import { Time } from '../../components/Time.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import { ConfirmDeleteKey } from './ConfirmDeleteKey.tsx'
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
  const columns: readonly Column<ApiKey>[] = [
    {
      id: 'name',
      head: 'Name',
      phone: 'title',
      cell: (key) => (
        <>
          <span className={`strong ${classes.name}`}>{key.name}</span>
          {key.id === newId && <span className={`${classes.badge} c-ok`}>New</span>}
          {key.expiresAt !== null && <ExpiryBadge at={key.expiresAt} />}
        </>
      ),
    },
    { id: 'prefix', head: 'Prefix', cell: ({ prefix }) => <span className="mono t2">{prefix}…</span> },
    { id: 'scopes', head: 'Scopes', cell: ({ scopes }) => <Scopes of={scopes} /> },
    { id: 'ips', head: 'Allowed IPs', cell: ({ allow }) => <AllowedRanges of={allow} /> },
    { id: 'usage', head: 'Usage (60 s)', cell: (key) => <UsageMeter of={key} /> },
    {
      id: 'used',
      head: 'Last used',
      phone: 'about',
      cell: ({ lastUsedAt }) => (
        <span className="t2">
          <Time at={lastUsedAt} />
        </span>
      ),
    },
    {
      id: 'actions',
      head: 'Actions',
      hidesHead: true,
      isNumber: true,
      phone: 'state',
      cell: (key) => <KeyMenu apiKey={key} onChoose={(what) => setPending({ id: key.id, what })} />,
    },
  ]
  return (
    <DataTable<ApiKey>
      label="API keys"
      rows={keys}
      idOf={({ id }) => id}
      columns={columns}
      empty={null}
      below={(key) =>
        asked?.id === key.id &&
        (asked.what === 'delete' ? (
          <ConfirmDeleteKey apiKey={key} others={keys.length - 1} onDone={close} />
        ) : asked.what === 'limit' ? (
          <RateLimitForm apiKey={key} onDone={close} />
        ) : (
          <ConfirmRotate
            apiKey={key}
            onDone={(made) => {
              close()
              if (made) onRotated(made)
            }}
          />
        ))
      }
    />
  )
}

function KeyMenu({ apiKey, onChoose }: { apiKey: ApiKey; onChoose: (what: PendingAction['what']) => void }) {
  const { workspace } = useWorkspace()
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${apiKey.name}`}>
          <IconDots />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {apiKey.rotatedAt === null && (
          <Menu.Item leftSection={<IconRotate aria-hidden />} onClick={() => onChoose('rotate')}>
            Rotate…
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconGauge aria-hidden />} onClick={() => onChoose('limit')}>
          Change rate limit…
        </Menu.Item>
        <Menu.Item
          leftSection={<IconTerminal2 aria-hidden />}
          renderRoot={(props) => (
            <Link
              {...props}
              to="/w/$workspaceId/logs"
              params={{ workspaceId: workspace.id }}
              search={{ key: apiKey.id }}
            />
          )}
        >
          View requests
        </Menu.Item>
        <Menu.Item leftSection={<IconTrash aria-hidden />} onClick={() => onChoose('delete')}>
          Delete…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

const Scopes = ({ of }: { of: readonly string[] }) => (
  <>
    {of.slice(0, MAX_SHOWN_SCOPES).map((scope) => (
      <span key={scope} className={classes.tag}>
        {scope}
      </span>
    ))}
    {of.length > MAX_SHOWN_SCOPES && (
      <span className="small t3" title={of.join(', ')}>
        and {of.length - MAX_SHOWN_SCOPES} more
      </span>
    )}
  </>
)

function AllowedRanges({ of }: { of: readonly string[] }) {
  return (
    <span className="t2" title={of.length > 1 ? of.join(', ') : undefined}>
      {of.length === 0 ? 'Any' : of.length === 1 ? of[0] : plural(of.length, 'range')}
    </span>
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

const MAX_RATE_LIMIT = 1_000_000

function RateLimitForm({ apiKey, onDone }: { apiKey: ApiKey; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const form = useApiForm({
    initialValues: { rateLimit: apiKey.rateLimit },
    isEdit: true,
    async send(body) {
      await api.PATCH('/api-keys/{id}', { params: { path: { id: apiKey.id } }, body })
      void invalidate('api-keys')
    },
    onSent: onDone,
  })
  return (
    <ApiForm
      form={form}
      label={`Change the rate limit of ${apiKey.name}`}
      submitLabel="Save rate limit"
      onCancel={onDone}
      className={`${classes.ask} c-mute`}
    >
      <IntegerInput
        label="Requests per 60 seconds"
        description="Applies from the next request on."
        min={1}
        max={MAX_RATE_LIMIT}
        {...form.getInputProps('rateLimit')}
        value={form.values.rateLimit}
      />
    </ApiForm>
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
