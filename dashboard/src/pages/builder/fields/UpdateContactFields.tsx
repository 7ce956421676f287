import { TagsInput, TextInput } from '@mantine/core'
import { useLists } from '../../../api/queries.ts'
import { omit } from '../../../lib/omit.ts'
import { SearchableMultiSelect } from '../../../components/SearchableMultiSelect.tsx'
import { asTyped, typed } from '../../../components/conditions/condition.ts'
import classes from '../Builder.module.css'
import type { UpdateContactStep } from '../steps.ts'
import { KeyValueFields } from './KeyValueFields.tsx'
import type { FieldsProps } from './StepFields.tsx'

type Changes = NonNullable<UpdateContactStep['set']>

/** Edits changes of the contact. */
export function UpdateContactFields({ step, edit, isNew }: FieldsProps<UpdateContactStep>) {
  const lists = useLists() ?? []
  const { set = {}, addTags = [], removeTags = [], addToLists = [], removeFromLists = [] } = step
  const change = (fields: Changes) => {
    const { firstName, metadata = {} } = { ...set, ...fields }
    edit({
      set: {
        ...(firstName !== undefined && { firstName }),
        ...(Object.keys(metadata).length > 0 && { metadata }),
      },
    })
  }
  return (
    <div className={classes.fields}>
      <TagsInput
        label="Add tags"
        autoFocus={isNew}
        value={[...addTags]}
        onChange={(value) => edit({ addTags: value })}
      />
      <TagsInput label="Remove tags" value={[...removeTags]} onChange={(value) => edit({ removeTags: value })} />
      <SearchableMultiSelect
        label="Add to lists"
        data={lists}
        value={[...addToLists]}
        onChange={(value) => edit({ addToLists: value })}
      />
      <SearchableMultiSelect
        label="Remove from lists"
        data={lists}
        value={[...removeFromLists]}
        onChange={(value) => edit({ removeFromLists: value })}
      />
      <TextInput
        label="Set first name"
        value={set.firstName ?? ''}
        onChange={({ currentTarget: { value } }) => edit({ set: withFirstName(set, value) })}
      />
      <KeyValueFields
        label="Set attributes"
        description="An empty value removes the key."
        noun="key"
        value={asTexts(set.metadata ?? {})}
        onChange={(value) => change({ metadata: asValues(value) })}
      />
    </div>
  )
}

const withFirstName = (set: Changes, value: string): Changes =>
  value === '' ? omit(set, 'firstName') : { ...set, firstName: value }

const asTexts = (metadata: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [
      key,
      value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : asTyped(value),
    ]),
  )
const asValues = (texts: Record<string, string>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, text === '' ? null : typed(text)]))
