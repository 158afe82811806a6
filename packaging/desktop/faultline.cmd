@echo off
rem The command line beside the desktop app, on a Node of its own: Electron is not run as Node.
setlocal
set "NODE_PATH=%~dp0..\app.asar.unpacked\node_modules"
"%~dp0..\command\node.exe" "%~dp0..\command\out\main\cli.js" %*
exit /b %ERRORLEVEL%
