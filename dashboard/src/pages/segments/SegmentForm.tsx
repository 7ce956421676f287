import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { callOnce } from '../../api/call-once.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import { CurlButton } from '../../components/CurlButton.tsx'
import { stableJson } from '../../lib/stable-json.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import {
  asGroup,
  type Condition,
  isIncomplete,
  type Loose,
  newCondition,
} from '../../components/conditions/condition.ts'
import { ConditionEditor } from '../../components/conditions/ConditionEditor.tsx'
import { ConditionCount, MatchesAlone } from '../../components/conditions/ConditionCount.tsx'
import { useReturnFocus } from '../../lib/use-return-focus.ts'

const NEW_CONDITION = newCondition('field')

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
  const [edited, setCondition] = useState<Loose>(segment?.condition ?? NEW_CONDITION)
  const condition = edited as Condition
  const body = { name, condition }
  // Only changed fields, so that changes of others are not reverted.
  const change = {
    ...(name !== segment?.name && { name }),
    ...(stableJson(condition) !== stableJson(segment?.condition) && { condition }),
  }
  const isDirty = segment ? Object.keys(change).length > 0 : name !== '' || condition !== NEW_CONDITION
  const isIncompleteForm = isIncomplete(condition)
  // An empty condition matches everyone: keep it in an existing segment, but never save it by accident.
  const isEmpty = isWithout(condition) && !(segment && isWithout(segment.condition))
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
    if (isIncompleteForm || isEmpty) return
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
        <ConditionEditor
          label="Contacts who match"
          condition={condition}
          onChange={setCondition}
          countOf={(one) => <MatchesAlone condition={one} />}
        />
      </fieldset>
      {isIncompleteForm || isEmpty ? (
        <p className="t2" role="status">
          {isEmpty ? 'Add at least one condition.' : 'Complete the condition.'}
        </p>
      ) : (
        <ConditionCount condition={condition} />
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

const isWithout = (condition: Loose): boolean => asGroup(condition).items.length === 0
