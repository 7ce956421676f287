import { Select } from '@mantine/core'
import type { Schemas } from '../api/client.ts'
import { SearchableSelect } from './SearchableSelect.tsx'

type Category = Schemas['Campaign']['category']

/** To whom an email goes, by its category. */
export const CategorySelect = ({ value, onChange }: { value: Category; onChange: (category: Category) => void }) => (
  <Select
    label="Sent to"
    allowDeselect={false}
    data={[
      { value: 'marketing', label: 'Whoever has not unsubscribed' },
      { value: 'transactional', label: 'Everybody: a receipt, a password' },
    ]}
    value={value}
    onChange={(chosen) => chosen && onChange(chosen)}
  />
)

/** Of which template an email is; `null`: it has what is written here. */
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
    label="Says"
    data={[
      { value: '', label: 'What is written here' },
      ...templates.map(({ id, name }) => ({ value: id, label: name })),
    ]}
    value={value ?? ''}
    onChange={(chosen) => onChange(chosen === '' ? null : chosen)}
  />
)
