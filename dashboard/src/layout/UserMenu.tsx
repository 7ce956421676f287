import { Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { IconDeviceDesktop, IconLogout, IconMoon, IconSun, IconUser } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { notifications } from '@mantine/notifications'
import { accountApi, errorMessage, isSignedOut } from '../api/client.ts'
import { clearPendingKeys } from '../api/call-once.ts'
import { useSession } from '../api/session.ts'
import classes from './Rail.module.css'

const COLOR_SCHEMES = [
  { value: 'auto', word: 'As the system', icon: IconDeviceDesktop },
  { value: 'light', word: 'Light', icon: IconSun },
  { value: 'dark', word: 'Dark', icon: IconMoon },
] as const

/** What somebody can do for themselves, wherever they are. */
export function UserMenuItems() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const client = useQueryClient()
  const navigate = useNavigate()
  const signOut = async () => {
    // As before the page is closed: whoever edits says whether all is saved.
    if (!dispatchEvent(new Event('beforeunload', { cancelable: true })))
      return void notifications.show({
        color: 'bad',
        title: 'Not yet',
        message: 'What you typed last is not saved. Wait until it is, or leave the page without it first.',
      })
    try {
      await accountApi.DELETE('/session')
    } catch (error) {
      // The cookie is there still, and whoever sits here next is signed in by it.
      if (!isSignedOut(error))
        return void notifications.show({ color: 'bad', title: 'You are not signed out', message: errorMessage(error) })
    }
    await navigate({ to: '/sign-in' })
    client.clear()
    clearPendingKeys()
  }
  return (
    <>
      <Menu.Item leftSection={<IconUser aria-hidden />} onClick={() => void navigate({ to: '/account' })}>
        Your account
      </Menu.Item>
      <Menu.Label>Looks</Menu.Label>
      {COLOR_SCHEMES.map(({ value, word, icon: Icon }) => (
        <Menu.Item
          key={value}
          leftSection={<Icon aria-hidden />}
          aria-checked={colorScheme === value}
          role="menuitemradio"
          onClick={() => setColorScheme(value)}
        >
          {word}
        </Menu.Item>
      ))}
      <Menu.Divider />
      <Menu.Item leftSection={<IconLogout aria-hidden />} onClick={() => void signOut()}>
        Sign out
      </Menu.Item>
    </>
  )
}

/** Who is signed in. */
export function UserMenu() {
  const { data } = useSession()
  const email = data?.account.email ?? ''
  return (
    <Menu position="top-start" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes.line}>
          <span className={classes.avatar} aria-hidden>
            {email[0]?.toUpperCase()}
          </span>
          <span className="cut">{email}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <UserMenuItems />
      </Menu.Dropdown>
    </Menu>
  )
}
