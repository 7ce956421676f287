import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useHasRole, useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { IntegerInput } from '../../components/IntegerInput.tsx'
import { ConfirmAction } from '../../components/ConfirmAction.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { count, plural } from '../../lib/format.ts'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import classes from './workspace.module.css'

const RETENTION_SETTINGS = [
  {
    name: 'eventRetentionDays',
    label: 'Keep custom events for (days)',
    description: 'Older events are deleted permanently, within minutes.',
    least: 1,
  },
  {
    name: 'contentRetentionDays',
    label: 'Keep the content of sent emails for (days)',
    description: 'Of older emails, only the subject, the recipient and the results stay. Campaigns keep their content.',
    least: 1,
  },
  {
    name: 'historyRetentionDays',
    label: 'Keep messages and enrollment steps for (days)',
    description: 'At least 30. Leave empty to keep them. Older ones are deleted permanently.',
    least: 30,
  },
] as const

/** As in the API. */
const MAX_DAYS = 3_650

type Setting = (typeof RETENTION_SETTINGS)[number]

/** Sets how long data is stored. */
export function RetentionForms({ stored }: { stored: Record<Setting['name'], number | null> }) {
  const isOwner = useHasRole('owner')
  return (
    <div className="card still">
      {!isOwner && <p className="t2">Only owners can change how long data is kept.</p>}
      {RETENTION_SETTINGS.map((setting) => (
        <RetentionForm key={setting.name} setting={setting} stored={stored[setting.name]} />
      ))}
      <StorageEstimate />
    </div>
  )
}

/** Asks before days that are fewer than the stored ones, because what is older is then deleted. @param stored null for no limit */
function RetentionForm({
  setting: { name, label, description, least },
  stored,
}: {
  setting: Setting
  stored: number | null
}) {
  const { api } = useWorkspace()
  const isOwner = useHasRole('owner')
  const invalidate = useInvalidate()
  const [isAsking, { open, close }] = useDisclosure()
  const save = async (wanted: number | null) => {
    await api.PATCH('/workspace', { body: { [name]: wanted } })
    await invalidate('settings')
  }
  const form = useApiForm({
    initialValues: { [name]: stored },
    isReadOnly: !isOwner,
    send: (values) => save(values[name] ?? null),
  })
  const wanted = form.values[name] ?? null
  const isFewer = wanted !== null && wanted < (stored ?? Infinity)
  return (
    <ApiForm
      form={{ ...form, submit: isFewer ? open : form.submit }}
      label={label}
      className="formFields"
      fieldsClassName=""
    >
      <div className={classes.field}>
        <IntegerInput
          label={label}
          description={description}
          min={least}
          max={MAX_DAYS}
          isOptional={name === 'historyRetentionDays'}
          {...form.getInputProps(name)}
          value={wanted}
        />
        {isOwner && (
          <Button type="submit" loading={form.request.isPending}>
            {form.request.isSuccess && !form.hasChanges ? 'Saved' : 'Save'}
          </Button>
        )}
      </div>
      {isAsking && (
        <ConfirmAction
          confirmLabel={`Delete after ${wanted} days`}
          description="What is older is deleted permanently, within minutes."
          action={() => save(wanted)}
          onDone={close}
        />
      )}
    </ApiForm>
  )
}

function StorageEstimate() {
  const { data } = useWorkspaceQuery(
    ['storage'],
    async (api, signal) => (await api.GET('/workspace/storage', { signal })).data.data,
  )
  if (!data) return <SkeletonRows rows={1} />
  return (
    <p className="small t2" style={{ marginTop: 8 }}>
      {plural(data.messages, 'message is stored', 'messages are stored')}, about {megabytes(data.bytes)}. The last 30
      days added {count(data.recentMessages)}, about {megabytes(data.recentBytes)}.
    </p>
  )
}

const megabytes = (bytes: number): string => `${count(Math.ceil(bytes / 1024 ** 2))} MB`
