# Puts a folder onto the PATH of the user or of the machine, or takes it away. Without NSIS: its texts end at 8191 characters, and a PATH that is
# written back cut is lost. What others wrote stays as it is, with its variables (%USERPROFILE%) and its order.
param(
  [Parameter(Mandatory)][ValidateSet('add', 'remove')][string]$Change,
  [Parameter(Mandatory)][ValidateSet('user', 'machine')][string]$Scope,
  [Parameter(Mandatory)][string]$Folder
)
$ErrorActionPreference = 'Stop'
$key = if ($Scope -eq 'machine') {
  [Microsoft.Win32.Registry]::LocalMachine.OpenSubKey('SYSTEM\CurrentControlSet\Control\Session Manager\Environment', $true)
} else {
  [Microsoft.Win32.Registry]::CurrentUser.CreateSubKey('Environment')
}
try {
  $before = [string]$key.GetValue('Path', '', [Microsoft.Win32.RegistryValueOptions]::DoNotExpandEnvironmentNames)
  $kind = if ($key.GetValueNames() -contains 'Path') { $key.GetValueKind('Path') } else { [Microsoft.Win32.RegistryValueKind]::ExpandString }
  $wanted = $Folder.TrimEnd('\')
  $others = @($before.TrimEnd(';') -split ';' | Where-Object { $_.Trim('"').TrimEnd('\') -ne $wanted })
  # An empty text is split into one empty entry.
  if ($others.Count -eq 1 -and $others[0] -eq '') { $others = @() }
  if ($Change -eq 'add') { $others += $wanted }
  $after = $others -join ';'
  if ($after -ne $before) {
    $key.SetValue('Path', $after, $kind)
    # Setting any variable sends the message by which open programs read the new PATH.
    [Environment]::SetEnvironmentVariable('FAULTLINE_PATH_CHANGED', $null, 'User')
  }
} finally {
  $key.Dispose()
}
