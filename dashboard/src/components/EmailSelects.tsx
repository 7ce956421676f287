import { Select } from '@mantine/core'
import type { Schemas } from '../api/client.ts'
import { SearchableSelect } from './SearchableSelect.tsx'

type Category = Schemas['Campaign']['category']

export const CategorySelect = ({ value, onChange }: { value: Category; onChange: (category: Category) => void }) => (
  <Select
    label="Email type"
    allowDeselect={false}
    data={[
      { value: 'marketing', label: 'Marketing (subscribed contacts only)' },
      { value: 'transactional', label: 'Transactional (receipts, password resets)' },
    ]}
    value={value}
    onChange={(chosen) => chosen && onChange(chosen)}
  />
)

/** Selects the template of an email, or `null` for content of its own. */
export const TemplateSelect = ({
  templates = [],
  value,
  onChange,
}: {
  templates: readonly { id: string; name: string }[] | undefined
  value: string | null
  onChange: (templateId: string | null) => void
}) => (
  <SearchableSelect
    label="Template"
    data={[{ value: '', label: 'No template' }, ...templates.map(({ id, name }) => ({ value: id, label: name }))]}
    value={value ?? ''}
    onChange={(chosen) => onChange(chosen === '' ? null : chosen)}
  />
)
