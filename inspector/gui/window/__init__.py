"""The main window, its menus and its status bar."""
