import { Button, Checkbox, Radio, TagsInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { useLists } from '../../api/queries.ts'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import type { Consent, Import } from './imports.ts'

type Options = Pick<Import, 'listId' | 'tags' | 'triggers' | 'confirmed'>

/** States the consent of the contacts of a file, and what happens with them. */
export function ConsentForm({
  consent,
  columns,
  options,
  isBusy,
  onConsent,
  onOptions,
  onBack,
  onStart,
}: {
  consent: Consent | null
  /** The columns that hold consent. */
  columns: readonly string[]
  options: Options
  isBusy: boolean
  onConsent: (consent: Consent) => void
  onOptions: (options: Options) => void
  onBack: () => void
  onStart: () => void
}) {
  const lists = useLists()
  const { listId, tags, triggers, confirmed } = options
  const isAsking = lists?.find(({ value }) => value === listId)?.isAsking ?? false
  const hasColumns = columns.length > 0
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!focusInvalidField(event.currentTarget)) onStart()
  }
  return (
    <form onSubmit={submit} aria-label="Consent">
      <fieldset className="plainFields formFields" disabled={isBusy} style={{ maxWidth: 560 }}>
        <Radio.Group
          label="Did these contacts opt in?"
          description="Existing opt-outs and suppressions stay as they are."
          value={consent ?? ''}
          onChange={(value) => onConsent(value as Consent)}
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
          value={listId}
          clearable
          onChange={(value) => onOptions({ ...options, listId: value })}
        />
        <TagsInput label="Add tags" value={tags} onChange={(value) => onOptions({ ...options, tags: value })} />
        <Checkbox
          label="Start automations"
          checked={triggers}
          onChange={({ currentTarget: { checked } }) => onOptions({ ...options, triggers: checked })}
        />
        <Checkbox
          label="These contacts confirmed the list elsewhere (skip double opt-in)"
          checked={confirmed}
          onChange={({ currentTarget: { checked } }) => onOptions({ ...options, confirmed: checked })}
        />
      </fieldset>
      {isAsking && !confirmed && (
        <p className="t2" role="status">
          This list requires double opt-in: contacts join after they confirm.{' '}
          {triggers
            ? 'Each contact gets a confirmation email.'
            : 'No confirmation emails will be sent. Check “Start automations”, or state that the contacts confirmed the list elsewhere.'}
        </p>
      )}
      <div className="row" style={{ marginTop: 16 }}>
        <Button type="button" disabled={isBusy} onClick={onBack}>
          Back
        </Button>
        <Button type="submit" variant="filled" loading={isBusy} disabled={consent === null}>
          Start import
        </Button>
      </div>
    </form>
  )
}
