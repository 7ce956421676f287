import { Menu, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core'
import { IconDeviceDesktop, IconLogout, IconMoon, IconSun, IconUser } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { notifications } from '@mantine/notifications'
import { accountApi, errorMessage, isSignedOut } from '../api/client.ts'
import { clearPendingKeys } from '../api/call-once.ts'
import { useSession } from '../api/session.ts'
import classes from './Rail.module.css'

const COLOR_SCHEMES = [
  { value: 'auto', label: 'System', icon: IconDeviceDesktop },
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
] as const

/** Menu items of the signed-in user: account, theme, sign-out. */
export function UserMenuItems() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const client = useQueryClient()
  const navigate = useNavigate()
  const signOut = async () => {
    // Editors that block closing the page while something is unsaved also block the sign-out.
    if (!dispatchEvent(new Event('beforeunload', { cancelable: true })))
      return void notifications.show({
        color: 'bad',
        title: 'Unsaved changes',
        message: 'Your last change isn’t saved yet. Wait a moment, or discard it before you sign out.',
      })
    try {
      await accountApi.DELETE('/session')
    } catch (error) {
      // The cookie still works: the next user of this browser would be signed in.
      if (!isSignedOut(error))
        return void notifications.show({ color: 'bad', title: 'Couldn’t sign you out', message: errorMessage(error) })
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
      <Menu.Label>Theme</Menu.Label>
      {COLOR_SCHEMES.map(({ value, label, icon: Icon }) => (
        <Menu.Item
          key={value}
          leftSection={<Icon aria-hidden />}
          aria-checked={colorScheme === value}
          role="menuitemradio"
          onClick={() => setColorScheme(value)}
        >
          {label}
        </Menu.Item>
      ))}
      <Menu.Divider />
      <Menu.Item leftSection={<IconLogout aria-hidden />} onClick={() => void signOut()}>
        Sign out
      </Menu.Item>
    </>
  )
}

export function UserMenu() {
  const { data } = useSession()
  const email = data?.account.email ?? ''
  return (
    <Menu position="top-start" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes.line}>
          <VisuallyHidden>Account: </VisuallyHidden>
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
