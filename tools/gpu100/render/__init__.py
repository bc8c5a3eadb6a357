"""Records, predictions and quizzes as HTML, through Jinja2 templates. Knows no MkDocs."""
