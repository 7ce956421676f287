import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorMessage, type Schemas } from '../../api/client.ts'
import { callOnce } from '../../api/call-once.ts'
import { useWorkspaceQuery, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import { CurlButton } from '../../components/CurlButton.tsx'
import { stableJson } from '../../lib/stable-json.ts'
import { plural } from '../../lib/format.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { type Condition, fromLines, isIncomplete, type Lines, NEW_LINE, toLines } from './condition.ts'
import { ConditionEditor, ConditionJson } from './ConditionEditor.tsx'
import { useReturnFocus } from '../../lib/use-return-focus.ts'

const PAUSE_MS = 400

const NEW_LINES: Lines = { join: 'all', lines: [NEW_LINE] }

function read(json: string): { condition?: Condition; error?: string } {
  try {
    return { condition: JSON.parse(json) as Condition }
  } catch {
    return { error: 'Enter valid JSON.' }
  }
}

/** Creates or edits a segment, and counts its contacts while the user types. */
export function SegmentForm({
  segment: given,
  onDone,
}: {
  segment: Schemas['Segment'] | undefined
  onDone: () => void
}) {
  // As loaded when the form opened.
  const [segment] = useState(given)
  useReturnFocus()
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const [name, setName] = useState(segment?.name ?? '')
  const [lines, setLines] = useState<Lines | undefined>(segment ? toLines(segment.condition) : NEW_LINES)
  const [json, setJson] = useState(JSON.stringify(segment?.condition, null, 2) ?? '')
  const { condition, error } = lines ? { condition: fromLines(lines), error: undefined } : read(json)
  const body = { name, condition: condition! }
  // Only changed fields, so that changes of others are not reverted.
  const change = {
    ...(name !== segment?.name && { name }),
    ...(condition && stableJson(condition) !== stableJson(segment?.condition) && { condition }),
  }
  const isDirty = segment ? Object.keys(change).length > 0 : name !== '' || stableJson(lines) !== stableJson(NEW_LINES)
  const isIncompleteForm = lines?.lines.some(isIncomplete) ?? false
  // An empty condition matches everyone: keep it in an existing segment, but never save it by accident.
  const isEmpty = lines?.lines.length === 0 && (!segment || toLines(segment.condition)?.lines.length !== 0)
  const save = useMutation({
    mutationFn: async () => {
      if (segment) await api.PATCH('/segments/{id}', { params: { path: { id: segment.id } }, body: change })
      else
        await callOnce([workspace.id, 'segment', body], (header) => api.POST('/segments', { params: { header }, body }))
    },
    onSuccess: () => void invalidate('segments'),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (focusInvalidField(event.currentTarget)) return
    if (!condition || typeof condition !== 'object' || isIncompleteForm || isEmpty) return
    if (segment && Object.keys(change).length === 0) onDone()
    // Closes this form only, not one that was opened in the meantime.
    else save.mutate(undefined, { onSuccess: onDone })
  }
  return (
    <form
      className="card"
      onSubmit={submit}
      onChange={() => save.isError && save.reset()}
      aria-label={segment ? segment.name : 'New segment'}
    >
      <UnsavedChangesGuard isDirty={isDirty} isSending={save.isPending} />
      {save.isError && <ErrorBanner error={save.error} scrollsIntoView />}
      <fieldset className="plainFields formFields" disabled={save.isPending}>
        <TextInput label="Name" value={name} onChange={({ currentTarget: { value } }) => setName(value)} autoFocus />
        {lines ? (
          <ConditionEditor lines={lines} set={setLines} />
        ) : (
          <ConditionJson json={json} set={setJson} error={error} />
        )}
      </fieldset>
      {isIncompleteForm || isEmpty ? (
        <p className="t2" role="status">
          {isEmpty ? 'Add at least one condition.' : 'Complete the condition.'}
        </p>
      ) : (
        <Count condition={condition} />
      )}
      <div className="row">
        <Button type="submit" variant="filled" loading={save.isPending}>
          Save segment
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone} disabled={save.isPending}>
          Cancel
        </Button>
        <CurlButton
          call={
            segment
              ? { method: 'PATCH', path: `/segments/${segment.id}`, body: change }
              : { method: 'POST', path: '/segments', body }
          }
        />
      </div>
    </form>
  )
}

function Count({ condition }: { condition: Condition | undefined }) {
  const [asked] = useDebouncedValue(condition, PAUSE_MS)
  const { data, error } = useWorkspaceQuery(
    ['segments', 'count', asked],
    async (api, signal) => {
      const { data: counted } = await api.POST('/segments/count', { body: { condition: asked! }, signal })
      return counted.data.contactCount
    },
    { enabled: asked !== undefined },
  )
  return (
    <p role="status" className={error ? 'small' : 't2'} style={error ? { color: 'var(--bad)' } : undefined}>
      {error
        ? errorMessage(error)
        : data === undefined
          ? 'Counting…'
          : `${plural(data, 'contact')} ${data === 1 ? 'matches' : 'match'}`}
    </p>
  )
}
