; Links `faultline://`: electron-builder registers them on macOS and Linux, and for NSIS its file associations alone. And the folder of the `faultline` command on
; the PATH: by PowerShell, because NSIS would write a long PATH back cut. What it returns is only shown: without the command the app still works.
!macro changePath CHANGE
  Push $R0
  StrCpy $R0 "user"
  ${if} $installMode == "all"
    StrCpy $R0 "machine"
  ${endif}
  nsExec::ExecToLog '"$SYSDIR\WindowsPowerShell\v1.0\powershell.exe" -NoProfile -NonInteractive -ExecutionPolicy Bypass -File "$INSTDIR\resources\bin\user-path.ps1" -Change ${CHANGE} -Scope $R0 -Folder "$INSTDIR\resources\bin"'
  Pop $R0
  DetailPrint "PATH: ${CHANGE} $INSTDIR\resources\bin ($R0)"
  Pop $R0
!macroend

!macro customInstall
  WriteRegStr SHELL_CONTEXT "Software\Classes\faultline" "" "URL:Faultline link"
  WriteRegStr SHELL_CONTEXT "Software\Classes\faultline" "URL Protocol" ""
  WriteRegStr SHELL_CONTEXT "Software\Classes\faultline\DefaultIcon" "" "$appExe,0"
  WriteRegStr SHELL_CONTEXT "Software\Classes\faultline\shell\open\command" "" '"$appExe" "%1"'
  !insertmacro changePath add
!macroend

!macro customUnInstall
  !insertmacro changePath remove
  DeleteRegKey SHELL_CONTEXT "Software\Classes\faultline"
!macroend
