import { Button, TextInput } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { callOnce } from '../../api/call-once.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import {
  isWithout,
  type Condition,
  isIncomplete,
  type Loose,
  newCondition,
} from '../../components/conditions/condition.ts'
import { ConditionEditor } from '../../components/conditions/ConditionEditor.tsx'
import { ChangeCount, ConditionCount, MatchesAlone } from '../../components/conditions/ConditionCount.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'

const NEW_CONDITION = newCondition('field')

const fieldsOf = (segment: Schemas['Segment'] | undefined): { name: string; condition: Loose } => ({
  name: segment?.name ?? '',
  condition: segment?.condition ?? NEW_CONDITION,
})

/**
 * Creates or edits a segment, and counts its contacts while the user types.
 *
 * @param onEdit gets the condition after each edit, and `undefined` when it is saved or discarded
 * @param onCreated gets the ID of the new segment
 */
export function SegmentForm({
  segment,
  onEdit,
  onCreated,
  onCancel,
}: {
  segment?: Schemas['Segment']
  onEdit?: (condition: Loose | undefined) => void
  onCreated?: (id: string) => void
  onCancel?: () => void
}) {
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const form = useApiForm({
    initialValues: fieldsOf(segment),
    isEdit: segment !== undefined,
    validate: ({ condition }) => ({ condition: problemOf(condition, segment) }),
    async send({ name, condition }, changes) {
      const body = { name, condition: condition as Condition }
      // Only changed fields, so that changes of others are not reverted.
      const sent = segment
        ? await api.PATCH('/segments/{id}', {
            params: { path: { id: segment.id } },
            body: changes as Partial<typeof body>,
          })
        : await callOnce([workspace.id, 'segment', body], (header) =>
            api.POST('/segments', { params: { header }, body }),
          )
      // The page shows what is saved from then on.
      await invalidate('segments')
      return sent.data.data.id
    },
    onSent: (id) => (segment ? onEdit?.(undefined) : id !== undefined && onCreated?.(id)),
  })
  const { condition } = form.values
  return (
    <ApiForm
      form={form}
      label={segment ? segment.name : 'New segment'}
      className={segment ? 'card still' : undefined}
      submitLabel="Save segment"
      onCancel={onCancel}
      more={
        <>
          {segment && form.hasChanges && (
            <Button
              variant="subtle"
              color="gray"
              disabled={form.request.isPending}
              onClick={() => {
                form.reset()
                onEdit?.(undefined)
              }}
            >
              Discard
            </Button>
          )}
          <CurlButton
            call={
              segment
                ? { method: 'PATCH', path: `/segments/${segment.id}`, body: form.changes }
                : { method: 'POST', path: '/segments', body: form.values }
            }
          />
        </>
      }
    >
      <TextInput label="Name" {...form.getInputProps('name')} autoFocus={!segment} />
      <ConditionEditor
        label="Contacts who match"
        condition={condition}
        onChange={(changed) => {
          form.setFieldValue('condition', changed)
          onEdit?.(changed)
        }}
        countOf={(one) => <MatchesAlone condition={one} />}
      />
      <State
        segment={segment}
        condition={condition}
        isEdited={'condition' in form.changes}
        isWrong={form.errors['condition'] !== undefined}
        isSaved={form.request.isSuccess}
      />
    </ApiForm>
  )
}

/** The state of the form: what is missing, who enters and leaves when it is saved, or that it is saved. */
function State({
  segment,
  condition,
  isEdited,
  isWrong,
  isSaved,
}: {
  segment: Schemas['Segment'] | undefined
  condition: Loose
  isEdited: boolean
  isWrong: boolean
  isSaved: boolean
}) {
  const problem = problemOf(condition, segment)
  if (problem !== undefined)
    return (
      <p className="t2" style={isWrong ? { color: 'var(--bad)' } : undefined} role={isWrong ? 'alert' : 'status'}>
        {problem}
      </p>
    )
  if (!segment) return <ConditionCount condition={condition} />
  if (isEdited) return <ChangeCount segmentId={segment.id} condition={condition} />
  return (
    <p className="t2" role="status">
      {isSaved && 'Saved.'}
    </p>
  )
}

/** An empty condition matches everyone: keep it in an existing segment, but never save it by accident. */
function problemOf(condition: Loose, segment: Schemas['Segment'] | undefined): string | undefined {
  if (isWithout(condition) && !(segment && isWithout(segment.condition))) return 'Add at least one condition.'
  return isIncomplete(condition) ? 'Complete the condition.' : undefined
}
