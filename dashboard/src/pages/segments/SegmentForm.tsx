import { TextInput } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { callOnce } from '../../api/call-once.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import {
  asGroup,
  type Condition,
  isIncomplete,
  type Loose,
  newCondition,
} from '../../components/conditions/condition.ts'
import { ConditionEditor } from '../../components/conditions/ConditionEditor.tsx'
import { ConditionCount, MatchesAlone } from '../../components/conditions/ConditionCount.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'

const NEW_CONDITION = newCondition('field')

const fieldsOf = (segment: Schemas['Segment'] | undefined): { name: string; condition: Loose } => ({
  name: segment?.name ?? '',
  condition: segment?.condition ?? NEW_CONDITION,
})

/** Creates or edits a segment, and counts its contacts while the user types. */
export function SegmentForm({ segment, onDone }: { segment: Schemas['Segment'] | undefined; onDone: () => void }) {
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const form = useApiForm({
    initialValues: fieldsOf(segment),
    isEdit: segment !== undefined,
    validate: ({ condition }) => ({ condition: problemOf(condition, segment) }),
    async send({ name, condition }, changes) {
      const body = { name, condition: condition as Condition }
      // Only changed fields, so that changes of others are not reverted.
      if (segment)
        await api.PATCH('/segments/{id}', {
          params: { path: { id: segment.id } },
          body: changes as Partial<typeof body>,
        })
      else
        await callOnce([workspace.id, 'segment', body], (header) => api.POST('/segments', { params: { header }, body }))
      void invalidate('segments')
    },
    onSent: onDone,
  })
  const { condition } = form.values
  const problem = problemOf(condition, segment)
  return (
    <ApiForm
      form={form}
      label={segment ? segment.name : 'New segment'}
      submitLabel="Save segment"
      onCancel={onDone}
      more={
        <CurlButton
          call={
            segment
              ? { method: 'PATCH', path: `/segments/${segment.id}`, body: form.changes }
              : { method: 'POST', path: '/segments', body: form.values }
          }
        />
      }
    >
      <TextInput label="Name" {...form.getInputProps('name')} autoFocus />
      <ConditionEditor
        label="Contacts who match"
        condition={condition}
        onChange={(changed) => form.setFieldValue('condition', changed)}
        countOf={(one) => <MatchesAlone condition={one} />}
      />
      {problem === undefined ? (
        <ConditionCount condition={condition} />
      ) : (
        <p
          className="t2"
          style={form.errors['condition'] ? { color: 'var(--bad)' } : undefined}
          role={form.errors['condition'] ? 'alert' : 'status'}
        >
          {problem}
        </p>
      )}
    </ApiForm>
  )
}

/** An empty condition matches everyone: keep it in an existing segment, but never save it by accident. */
function problemOf(condition: Loose, segment: Schemas['Segment'] | undefined): string | undefined {
  if (isWithout(condition) && !(segment && isWithout(segment.condition))) return 'Add at least one condition.'
  return isIncomplete(condition) ? 'Complete the condition.' : undefined
}

const isWithout = (condition: Loose): boolean => asGroup(condition).items.length === 0
