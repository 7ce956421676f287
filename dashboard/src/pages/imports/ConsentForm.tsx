import { Button, Checkbox, Radio, TagsInput } from '@mantine/core'
import { useLists } from '../../api/queries.ts'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import type { Consent, Import } from './imports.ts'

export type ImportOptions = Pick<Import, 'listId' | 'tags' | 'triggers' | 'confirmed'> & { consent: Consent | null }

/** States the consent of the contacts of a file, and what happens with them. */
export function ConsentForm({
  options,
  columns,
  onBack,
  onStart,
}: {
  options: ImportOptions
  /** The columns that hold consent. */
  columns: readonly string[]
  onBack: (options: ImportOptions) => void
  onStart: (options: ImportOptions) => Promise<void>
}) {
  const lists = useLists()
  const form = useApiForm({ initialValues: options, send: onStart })
  const { consent, listId, triggers, confirmed } = form.values
  const isAsking = lists?.find(({ value }) => value === listId)?.isAsking ?? false
  const hasColumns = columns.length > 0
  return (
    <ApiForm form={form} label="Consent" className="">
      <div className="formFields" style={{ maxWidth: 560 }}>
        <Radio.Group
          label="Did these contacts opt in?"
          description="Existing opt-outs and suppressions stay as they are."
          {...form.getInputProps('consent')}
        >
          <div className="formFields" style={{ marginTop: 8 }}>
            <Radio
              value="SUBSCRIBED"
              disabled={hasColumns}
              label="Yes, everyone in this file opted in"
              description={
                hasColumns ? 'A column of this file holds consent.' : 'They can get campaigns and automations.'
              }
            />
            <Radio
              value="COLUMNS"
              disabled={!hasColumns}
              label="A column holds the consent"
              description={
                hasColumns
                  ? `${columns.join(', ')}: every value that does not mean yes means no.`
                  : 'Map a column to Consent.'
              }
            />
            <Radio
              value="UNSUBSCRIBED"
              label="No, they get no marketing until they opt in"
              description="For contacts who unsubscribed, and for those who only get transactional emails."
            />
            <Radio value="BOUNCED" label="These addresses bounced" description="They get no email at all." />
          </div>
        </Radio.Group>
        <SearchableSelect
          label="Add to list"
          placeholder="No list"
          description="Unsubscribed contacts are skipped."
          data={lists ?? []}
          clearable
          {...form.getInputProps('listId')}
          value={listId}
        />
        <TagsInput label="Add tags" {...form.getInputProps('tags')} />
        <Checkbox label="Start automations" {...form.getInputProps('triggers', { type: 'checkbox' })} />
        <Checkbox
          label="These contacts confirmed the list elsewhere (skip double opt-in)"
          {...form.getInputProps('confirmed', { type: 'checkbox' })}
        />
      </div>
      {isAsking && !confirmed && (
        <p className="t2" role="status">
          This list requires double opt-in: contacts join after they confirm.{' '}
          {triggers
            ? 'Each contact gets a confirmation email.'
            : 'No confirmation emails will be sent. Check “Start automations”, or state that the contacts confirmed the list elsewhere.'}
        </p>
      )}
      <div className="row">
        <Button onClick={() => onBack(form.values)}>Back</Button>
        <Button type="submit" variant="filled" loading={form.request.isPending} disabled={consent === null}>
          Start import
        </Button>
      </div>
    </ApiForm>
  )
}
