import { Button, Menu } from '@mantine/core'
import { IconColumns } from '@tabler/icons-react'

/** Chooses the columns of a table. The page keeps them in the URL. */
export function ColumnsMenu({
  choices,
  value,
  onChange,
}: {
  choices: readonly { id: string; label: string }[]
  value: readonly string[]
  /** Gets the chosen ones in the order of `choices`. */
  onChange: (ids: string[]) => void
}) {
  const toggle = (id: string) =>
    onChange(choices.map((choice) => choice.id).filter((each) => value.includes(each) !== (each === id)))
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="subtle" color="gray" leftSection={<IconColumns aria-hidden />}>
          Columns
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map(({ id, label }) => (
          <Menu.CheckboxItem key={id} checked={value.includes(id)} onChange={() => toggle(id)}>
            {label}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
